import { Brand, Option } from "effect"

/** The URL of a gateway: https, or http on this machine; no user, password, query or fragment. */
export type GatewayUrl = Brand.Branded<string, "GatewayUrl">
const make = Brand.nominal<GatewayUrl>()

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Parses a gateway URL; none when it is not allowed. Personal data must be encrypted on a network. */
export const fromText = (text: string): Option.Option<GatewayUrl> => {
  const url = URL.parse(text)
  if (url === null) return Option.none()
  const isEncrypted = url.protocol === "https:" || (url.protocol === "http:" && loopback.test(url.hostname))
  const isBare = `${url.username}${url.password}${url.search}${url.hash}` === ""
  return isEncrypted && isBare ? Option.some(make(url.href)) : Option.none()
}
