/** The version of the service. `npm run release` writes it; the root package.json has the same. */
export const version = "0.1.0"
