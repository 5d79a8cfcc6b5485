export { createAppDriver } from './app-driver.ts';
export { findBrowser } from './browser.ts';
export type { AppDriver } from './port.ts';
