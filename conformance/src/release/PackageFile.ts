import { existsSync, readFileSync } from "node:fs"
import { dirname, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"

/** The texts of data files by name. The bundled command contains them; otherwise this is not defined. */
declare const EMBEDDED_FILES: Readonly<Record<string, string>>

const embedded = typeof EMBEDDED_FILES === "undefined" ? undefined : EMBEDDED_FILES

/** Whether this is the packed command. */
export const isPacked = embedded !== undefined

/** The path of a file in the folder of this package. */
export const packageFile = (name: string): string =>
  fileURLToPath(new URL(isPacked ? name : `../../${name}`, import.meta.url))

/** The text of a data file of this package; undefined without the file. */
export const packageText = (name: string): string | undefined => embedded?.[name] ?? textOf(packageFile(name))

const textOf = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, "utf8") : undefined)

/**
 * The path from a file to a JSON Schema of this package. Returns undefined in a checkout, and if the command was copied
 * without its package.
 */
export const schemaFrom = (file: string, schema: string): string | undefined =>
  existsSync(packageFile(schema)) ? relative(dirname(resolve(file)), packageFile(schema)) : undefined
