/**
 * DNS of the servers under test. Each server loads this file before its own program. TXT records then come from the
 * file that `WCS_DEV_DNS` names, and no name server is contacted.
 */
import dns from "node:dns/promises"
import { readFileSync, renameSync, writeFileSync } from "node:fs"

/** TXT records by name. */
type Texts = Readonly<Record<string, string>>

const variable = "WCS_DEV_DNS"

const read = (file: string): Texts => JSON.parse(readFileSync(file, "utf8"))

const write = (file: string, texts: Texts) => {
  writeFileSync(`${file}.new`, JSON.stringify(texts))
  renameSync(`${file}.new`, file) // a server reads the old records or the new ones, never half
}

export interface Dns {
  /** The environment of a server that uses this DNS. */
  readonly environment: { readonly [variable]: string; readonly NODE_OPTIONS: string }
  readonly publish: (name: string, text: string) => void
}

/** A DNS without records, stored in a file. */
export const makeDns = (file: string): Dns => {
  write(file, {})
  return {
    environment: { [variable]: file, NODE_OPTIONS: `--import=${import.meta.url}` },
    publish: (name, text) => write(file, { ...read(file), [name]: text })
  }
}

const own = process.env[variable]
if (own !== undefined) {
  dns.Resolver.prototype.resolveTxt = async (name) => [read(own)[name] ?? []].flat().map((text) => [text])
}
