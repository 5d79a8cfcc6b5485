// One kind of day: what arrives, how much of it is bad, how long CI takes, how many builds may run.

export interface Cell {
  /** Changes an hour. */
  readonly rate: number;
  readonly workers: number;
  /**
   * Share of changes that overlap a change in flight, which arrived at most the mean time of a build before. 1: nobody
   * knows targets.
   */
  readonly overlap: number;
  /** Share of changes that are bad by themselves. */
  readonly failure: number;
  /** Share of builds of a green tree that fail. */
  readonly flake: number;
  /** Minutes of CI, median. */
  readonly median: number;
  /** Exponent of the power law that targets are popular by: the lower, the fewer meet at the most popular one. */
  readonly zipf: number;
  /** Of the logarithm of CI's time: at 0.5 the slowest twentieth takes 2.3 times the median, at 1 five times. */
  readonly spread: number;
  /** A quarter of each hour has so many times the rate, the rest less. 1: steady. At most 4. */
  readonly burst: number;
  /** What the time of a build is drawn for. */
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

/** `rate=500,workers=500,…`; what is left out is as usual. */
export function parseCell(text: string): Cell {
  const words = text.split(',').filter((word) => word !== '');
  return words.reduce<Cell>((cell, word) => {
    const [name = '', value = ''] = word.split('=');
    if (!Object.hasOwn(usual, name))
      throw new Error(`There is no ${name} in a cell: ${Object.keys(usual).join(', ')}.`);
    if (name === 'draw' && (value === 'change' || value === 'build')) return { ...cell, draw: value };
    const number = Number(value);
    if (name === 'draw' || value === '' || !Number.isFinite(number) || number < 0)
      throw new Error(`${name}=${value}: must be ${name === 'draw' ? 'change or build' : 'a number of at least 0'}.`);
    return { ...cell, [name]: number };
  }, usual);
}

const alwaysNamed: ReadonlySet<string> = new Set(['rate', 'workers', 'overlap', 'failure', 'flake', 'median']);

/** Names the values that differ from the usual ones, and those that every cell names. */
export function nameCell(cell: Cell): string {
  return Object.entries(cell)
    .filter(([name, value]) => alwaysNamed.has(name) || value !== usual[name as keyof Cell])
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}
