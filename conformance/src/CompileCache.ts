import { enableCompileCache } from "node:module"
import { isPacked, packageFile } from "./release/PackageFile.ts"

/**
 * Lets Node keep the compiled suite, because parsing it takes most of a start. The cache is beside the packed command, so
 * only a user who can replace the command can write it. From the sources, `.dev/run.mjs` names another folder.
 */
export const keepCompiled = (): void => {
  if (isPacked) enableCompileCache(packageFile("compiled"))
}
