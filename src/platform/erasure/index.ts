export { planAccount, planRepository, type Ownership } from './ownership.ts';
export { countRows, eraseRows, readBinaryColumns, readCatalogue } from './rows.ts';
export { selectOwned, type OwnedTable } from './ownership.ts';
