/** Returns the command as the user has to type it: npm installs it into a project without adding it to the PATH. */
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
