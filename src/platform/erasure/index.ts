export { planAccount, planRepository, type Ownership } from './ownership.ts';
export { countRows, eraseRows, readCatalogue } from './rows.ts';
