import { Option } from "effect"

const lengthMax = 2048
/** The characters of a URL (RFC 3986, section 2). URL parsers may drop others, but a `Location` header keeps them. */
const characters = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * The URL of an identity provider, to which browsers are redirected: https, or http on this machine; no user name,
 * password or fragment. The service never fetches it.
 */
export const ssoUrlFromText = (text: string): Option.Option<string> => {
  const url = text.length <= lengthMax ? URL.parse(text) : null
  if (url === null) return Option.none()
  const isEncrypted = url.protocol === "https:" || (url.protocol === "http:" && loopback.test(url.hostname))
  const isBare = characters.test(text) && !/[#@]/.test(text)
  // Unchanged: identity providers compare Destination with their own spelling.
  return isEncrypted && isBare ? Option.some(text) : Option.none()
}
