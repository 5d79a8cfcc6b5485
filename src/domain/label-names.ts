// Code hosts ignore the case of label names: GitHub takes `Blocked` for an existing label `blocked`.

export function isSameLabel(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

export function hasLabel(labels: Iterable<string>, label: string): boolean {
  return [...labels].some((each) => isSameLabel(each, label));
}
