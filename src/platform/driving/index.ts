export { createAppDriver } from './app-driver.ts';
export { findBrowser, type BrowserProgram } from './browser.ts';
export type { AppDriver } from './port.ts';
