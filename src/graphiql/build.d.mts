/** Bundles GraphiQL into `outDir`. True when something was built. */
export function buildGraphiql(outDir: string): Promise<boolean>;
