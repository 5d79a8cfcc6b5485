// Code hosts ignore the case of label names: GitHub takes `Blocked` for an existing label `blocked`. SQL must not compare
// label names without their case, because `lower` of PostgreSQL differs from this rule beyond ASCII, and from database
// to database.

export function isSameLabel(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

export function hasLabel(labels: Iterable<string>, label: string): boolean {
  return [...labels].some((each) => isSameLabel(each, label));
}
