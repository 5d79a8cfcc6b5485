/** Bundles the dashboard into `outDir`. True when something was built. */
export function buildDashboard(outDir: string): Promise<boolean>;
