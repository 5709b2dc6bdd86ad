/** The version of the suite. `npm run release` writes it; the package.json of the workspace has the same. */
export const suiteVersion = "0.1.0"
