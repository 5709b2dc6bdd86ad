import { readSecret } from "@wcs/node-server/PrivateFile"
import { StartRefused } from "@wcs/node-server/StartRefused"
import { Effect, Option } from "effect"

/** The form of a header line (RFC 9110, section 5.1). */
const headerLine = /^([!#$%&'*+.^_`|~\dA-Za-z-]{1,100}):[ \t]*([ -~]{1,4096})$/

/** Reads the headers for the collector from a file. */
export const headersIn = Effect.fnUntraced(function* (path: string) {
  const text = Option.getOrElse(yield* readSecret(path, "The file of WCS_OTLP_HEADERS_FILE"), () => "")
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "")
  const headers = lines.flatMap((line) => {
    const [, name, value] = headerLine.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value.trim()] as const]
  })
  if (headers.length === 0 || headers.length < lines.length) {
    return yield* new StartRefused({
      message: "WCS_OTLP_HEADERS_FILE must be the path of a file with one `name: value` per line."
    })
  }
  return Object.fromEntries(headers)
})
