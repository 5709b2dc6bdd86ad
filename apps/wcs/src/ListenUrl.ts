import { Settings } from "@wcs/deployment/Settings"
import { Effect } from "effect"

const everyAddress: ReadonlyArray<string> = ["0.0.0.0", "::"]

/** Returns an address for a URL. Uses loopback if the server listens on all addresses. */
export const inUrl = (host: string): string => {
  if (everyAddress.includes(host)) return "localhost"
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host
}

/** Returns the URL of the admin port. */
export const adminUrl = (port: number) => Effect.map(Settings, ({ adminHost }) => `http://${inUrl(adminHost)}:${port}`)
