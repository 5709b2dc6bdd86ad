/** The version of the service. `npm run release` writes it; the package.json of the workspace has the same. */
export const version = "0.1.0"
