/**
 * What somebody types for this command line, where they stand: npm installs it into a project, whose commands are not on
 * the PATH, and says in the environment how it was asked.
 */
export const calledAs = (environment: NodeJS.ProcessEnv): string => {
  switch (environment["npm_lifecycle_event"]) {
    case "npx":
      return "npx wcs-conformance"
    case "wcs-conformance":
      return "npm run -s wcs-conformance --"
    default:
      return "wcs-conformance"
  }
}
