import { basename } from "node:path"

/** The command lines of the service and of the conformance suite, as the user has to type them. */
export interface Called {
  readonly wcs: string
  readonly conformance: string
}

/** Quotes a word of a printed command, if a shell would change the word otherwise. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/** Finds out how this process was started: by npx, in a clone, by Node from an installed folder, or as a command. */
export const calledAs = (environment: NodeJS.ProcessEnv, program = ""): Called => {
  const conformance = "npx wcs-conformance"
  // the scripts of a project find the command, but its user's shell does not
  if (environment["npm_lifecycle_event"] === "npx" || program.includes("/node_modules/.bin/"))
    return { wcs: "npx wcs", conformance }
  switch (basename(program)) {
    case "start.mjs":
    case "main.ts":
      return { wcs: "npm run -s wcs --", conformance: "npm run -s wcs-conformance --" }
    case "main.js":
      return { wcs: `node ${shellWord(program)}`, conformance }
    default:
      return { wcs: "wcs", conformance }
  }
}
