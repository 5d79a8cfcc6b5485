// A cell is a kind of day. It says how many changes arrive, how many of them are bad, how long CI takes, and how many
// builds may run.

export interface Cell {
  /** How many changes arrive in an hour. */
  readonly rate: number;
  readonly workers: number;
  /**
   * The share of changes that overlap a change in flight. A change is in flight for the mean duration of a build after
   * its arrival. 1: targets are not known.
   */
  readonly overlap: number;
  /** The share of changes that are bad by themselves. */
  readonly failure: number;
  /** The share of builds that fail although their tree is green. */
  readonly flake: number;
  /** The median duration of a build, in minutes. */
  readonly median: number;
  /**
   * The exponent of the power law of the popularity of targets. The lower the exponent, the fewer changes affect the
   * most popular target.
   */
  readonly zipf: number;
  /**
   * The standard deviation of the logarithm of a build's duration. The slowest twentieth of the builds takes 2.3 times
   * the median at 0.5, and five times the median at 1.
   */
  readonly spread: number;
  /** In a quarter of each hour, the rate is this many times the average. 1: the rate is steady. The maximum is 4. */
  readonly burst: number;
  /** Whether a random duration is drawn for each change or for each build. */
  readonly draw: 'change' | 'build';
}

const usual: Cell = {
  rate: 100,
  workers: 100,
  overlap: 0.5,
  failure: 0.08,
  flake: 0,
  median: 30,
  zipf: 0.8,
  spread: 0.5,
  burst: 1,
  draw: 'change',
};

/** Reads a cell such as `rate=500,workers=500`. Values that are left out are the usual ones. */
export function parseCell(text: string): Cell {
  const words = text.split(',').filter((word) => word !== '');
  return words.reduce<Cell>((cell, word) => {
    const [name = '', value = ''] = word.split('=');
    if (!Object.hasOwn(usual, name))
      throw new Error(`A cell has no value ${name}. Its values are ${Object.keys(usual).join(', ')}.`);
    if (name === 'draw' && (value === 'change' || value === 'build')) return { ...cell, draw: value };
    const number = Number(value);
    if (name === 'draw' || value === '' || !Number.isFinite(number) || number < 0)
      throw new Error(`${name}=${value}: must be ${name === 'draw' ? 'change or build' : 'a number of at least 0'}.`);
    return { ...cell, [name]: number };
  }, usual);
}

const alwaysNamed: ReadonlySet<string> = new Set(['rate', 'workers', 'overlap', 'failure', 'flake', 'median']);

/** The name of a cell. It has the values that every name has, and the values that are not the usual ones. */
export function nameCell(cell: Cell): string {
  return Object.entries(cell)
    .filter(([name, value]) => alwaysNamed.has(name) || value !== usual[name as keyof Cell])
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}
