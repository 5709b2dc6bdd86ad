import { readFileSync } from "node:fs"
import { SourceMap } from "node:module"

const position = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/

const read = (url: string): SourceMap | undefined => {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${url}.map`), "utf8")))
  } catch {
    return undefined
  }
}

/**
 * Makes stack traces name the sources of the modules below a URL. Reads a source map when a trace first needs it:
 * Node's own support reads all of them at start, which takes 36 MB and a quarter of the time.
 */
export const nameSources = (below: string): void => {
  const maps = new Map<string, SourceMap | undefined>()

  const sourceOf = (found: string, url = "", line = "", column = ""): string => {
    if (!url.startsWith(below)) return found
    if (!maps.has(url)) maps.set(url, read(url))
    const entry = maps.get(url)?.findEntry(Number(line) - 1, Number(column) - 1)
    if (entry === undefined || !("originalSource" in entry)) return found
    return `${new URL(entry.originalSource, url).href}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
  }

  Error.prepareStackTrace = (error, sites) =>
    [String(error), ...sites.map((site) => `    at ${String(site).replace(position, sourceOf)}`)].join("\n")
}
