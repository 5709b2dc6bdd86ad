import type { Exemplars } from "@wcs/node-server/Exemplars"

/** The media type of OpenMetrics 1.0. */
export const contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

/** Whether a scraper accepts OpenMetrics. Prometheus does, and then stores exemplars if it is told to. */
export const isAccepted = (accept: string | undefined): boolean =>
  accept?.split(",").some((range) => /^[ \t]*application\/openmetrics-text[ \t]*(?:;|$)/.test(range)) === true

const bucket = /^wcs_http_request_duration_seconds_bucket\{le="([^"]+)"\} \S+$/

/** A boundary is written as a float in OpenMetrics. */
const withFloats = (line: string): string => line.replace(/([{,]le=")(\d+)"/, '$1$2.0"')

const converted = (line: string, exemplars: Exemplars): string => {
  const [, kind = "", name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
  if (kind === "") return withFloats(line) + exemplars.textOf(bucket.exec(line)?.[1] ?? "")
  // The family of a counter has no suffix, its sample has.
  const family = name.replace(/_total$/, "")
  if (kind === "HELP") return `# HELP ${family} ${rest.replaceAll('"', '\\"')}`
  return `# TYPE ${family} ${rest === "counter" && family === name ? "unknown" : rest}`
}

/** Converts Prometheus's text format to OpenMetrics, with exemplars. */
export const fromText = (text: string, exemplars: Exemplars): string =>
  `${text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => converted(line, exemplars))
    .join("\n")}\n# EOF\n`
