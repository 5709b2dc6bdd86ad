import { Option, Schema } from "effect"

const lengthMax = 2048
/** The characters of a URL (RFC 3986, section 2). The parser silently drops others. */
const characters = /^[\w\-.~:/?[\]!$&'()*+,;=%]*$/
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

const parse = Schema.decodeUnknownOption(Schema.URLFromString)

/**
 * Returns whether browsers can be redirected to the URL: https, or http on this machine, without credentials and
 * fragment.
 */
const isUsable = (text: string): boolean => {
  const url = Option.getOrUndefined(parse(text))
  if (url === undefined || !characters.test(text)) return false
  return url.protocol === "https:" || (url.protocol === "http:" && loopback.test(url.hostname))
}

/** A URL of an identity provider. */
export const WellKnownUrl = Schema.String.annotate({ format: "uri" })
  .check(
    Schema.isMaxLength(lengthMax, { message: `must have at most ${lengthMax} characters` }),
    Schema.makeFilter((text: string) => isUsable(text) || "must be an https URL without user name and fragment")
  )
  .annotate({ valueFormat: `an https URL of at most ${lengthMax} characters` })

const microsoft = /(^|\.)(microsoftonline\.(com|us|de)|microsoftonline\.cn|windows\.net|microsoft\.com|live\.com)$/
/** A directory of Entra ID by its id. */
const directory = /^\/(?!9188040d-6c67-4c5b-b112-36a304b66dad\/)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\//
/** Google, and the directories of Microsoft for customers, who sign up by themselves. */
const joinable = /^accounts\.google\.com$|\.(ciamlogin|b2clogin)\.com$/

/**
 * Returns whether an issuer is known to authenticate people of all organizations. At Microsoft, every issuer but the one
 * of a directory does: `common`, `organizations`, `consumers`, and the id of personal accounts.
 */
export const isOpenToAnybody = (issuer: string): boolean =>
  Option.exists(parse(issuer), ({ hostname, pathname }) => {
    const host = hostname.replace(/\.$/, "") // the root of the DNS
    return joinable.test(host) || (microsoft.test(host) && !directory.test(`${pathname}/`))
  })
