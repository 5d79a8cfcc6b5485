/** Bundles the dashboard into `outDir`. Returns whether something was built. */
export function buildDashboard(outDir: string): Promise<boolean>;
