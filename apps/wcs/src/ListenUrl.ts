import { Settings } from "@wcs/http-node/Settings"
import { Effect } from "effect"

const everyAddress: ReadonlyArray<string> = ["0.0.0.0", "::"]

/** An address as it stands in a URL; where all are listened on, the one that is always there. */
export const inUrl = (host: string): string => {
  if (everyAddress.includes(host)) return "localhost"
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host
}

/** Where the admin port answers. */
export const adminUrl = (port: number) => Effect.map(Settings, ({ adminHost }) => `http://${inUrl(adminHost)}:${port}`)
