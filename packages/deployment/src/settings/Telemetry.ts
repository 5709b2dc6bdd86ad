import { Effect, Option } from "effect"
import { consistent, filePath, list, oneOf, optional, required } from "./Variable.ts"

/** A kind of telemetry that is exported. */
type Signal = "traces" | "metrics"

/** The collector of telemetry. None: nothing is exported, and nothing is traced. */
export interface TelemetrySettings {
  readonly telemetry: Option.Option<{
    /** Without a slash at the end. */
    readonly url: string
    readonly headersFile: Option.Option<string>
    readonly signals: ReadonlyArray<Signal>
    /** From 0 to 1. */
    readonly traceRatio: number
  }>
}

/** Parses the URL of a collector. A user, a query or a fragment would be in log lines, or lost. */
const collector = (text: string): Option.Option<string> => {
  const url = URL.parse(text)
  const isPlain = url !== null && url.username === "" && url.password === "" && url.search === "" && url.hash === ""
  return isPlain && /^https?:$/.test(url.protocol) && text.length <= 2048
    ? Option.some(url.href.replace(/\/+$/, ""))
    : Option.none()
}

const ratio = (text: string): Option.Option<number> =>
  /^(?:0(?:\.\d{1,6})?|1(?:\.0{1,6})?)$/.test(text) ? Option.some(Number(text)) : Option.none()

/** The variables of this part, in the order of the table in README.md. */
export const variables = {
  otlpUrl: {
    name: "WCS_OTLP_URL",
    must: "an http or https URL without user, query and fragment",
    standard: "",
    meaning:
      "URL of an OpenTelemetry collector that receives OTLP over HTTP, such as `http://127.0.0.1:4318`. Without it, nothing is exported. See [observability](OBSERVABILITY.md).",
    read: collector,
    isSecret: true
  },
  otlpUrlFile: {
    name: "WCS_OTLP_URL_FILE",
    ...filePath,
    standard: "",
    meaning: "File with the value of `WCS_OTLP_URL`. Replaces `WCS_OTLP_URL`."
  },
  otlpHeadersFile: {
    name: "WCS_OTLP_HEADERS_FILE",
    ...filePath,
    standard: "",
    meaning:
      "File with headers for the collector, such as an API key: one `name: value` per line. Must be [private](#secret-files)."
  },
  otlpSignals: {
    name: "WCS_OTLP_SIGNALS",
    must: "a comma-separated list of traces and metrics",
    standard: "traces,metrics",
    meaning: "Telemetry that is exported to the collector.",
    read: list<Signal>(oneOf("traces", "metrics"))
  },
  traceRatio: {
    name: "WCS_TRACE_RATIO",
    must: "a number from 0 to 1 with at most 6 decimals",
    standard: "1",
    meaning: "Share of the requests that are traced, each with the verification and the deliveries that it causes.",
    read: ratio
  }
} as const

export const read = Effect.gen(function* () {
  const url = yield* optional(variables.otlpUrl)
  const headersFile = yield* optional(variables.otlpHeadersFile)
  const signals = yield* required(variables.otlpSignals)
  const traceRatio = yield* required(variables.traceRatio)
  yield* consistent([
    Option.isNone(url) && Option.isSome(headersFile) && "WCS_OTLP_URL must be set when WCS_OTLP_HEADERS_FILE is set."
  ])
  const telemetry = Option.map(url, (url) => ({ url, headersFile, signals, traceRatio }))
  return { telemetry } satisfies TelemetrySettings
})
