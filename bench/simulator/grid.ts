// The cells in which all policies are compared, unless other cells are named.
import { parseCell, type Cell } from './cell.ts';

export const grid: readonly Cell[] = [
  'rate=500,workers=500,overlap=0.3',
  'rate=500,workers=500,overlap=0.5',
  'rate=500,workers=500,overlap=0.72',
  'rate=500,workers=500,overlap=0.5,zipf=0.5',
  'rate=500,workers=500,overlap=0.5,draw=build',
  'rate=500,workers=500,overlap=0.5,failure=0.02',
  'rate=500,workers=500,overlap=0.5,failure=0.15',
  'rate=500,workers=500,overlap=0.5,flake=0.05',
  'rate=300,workers=200,overlap=0.5',
  'rate=300,workers=200,overlap=0.5,zipf=0.5',
  'rate=300,workers=200,overlap=0.5,burst=3',
  'rate=100,workers=100,overlap=0.72,median=10',
  'rate=100,workers=50,overlap=0.5',
  'rate=100,workers=10,overlap=0.5',
  'rate=20,workers=20,overlap=1',
  'rate=20,workers=1,overlap=1',
  'rate=20,workers=20,overlap=1,flake=0.05',
].map(parseCell);
