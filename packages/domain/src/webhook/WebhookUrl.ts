import { Option, Result, Schema } from "effect"
import { InvalidArgument } from "../shared/InvalidArgument.ts"

const maxLength = 2048

/** The characters that a URL is written in (RFC 3986, section 2). */
const characters = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/

const form = /^https?:\/\/(?<authority>[^/?#]*)/i

const isParseable = (text: string): boolean => Option.isSome(Schema.decodeUnknownOption(Schema.URLFromString)(text))

/** What is wrong with the form of a receiver's URL, without anything of the URL: there may be a password in it. */
const fault = (text: string): string | undefined => {
  const authority = form.exec(text)?.groups?.["authority"]
  if (authority === undefined) return "must be an https URL"
  if (authority.includes("@")) return "must have no user name and no password"
  if (text.includes("#")) return "must have no fragment"
  // A parser that overlooks what is no part of a URL would see another than the one that was judged.
  if (!characters.test(text)) return "must consist of the characters of a URL (RFC 3986)"
  return authority !== "" && isParseable(text) ? undefined : "must be a URL with a host"
}

/** Where a webhook's deliveries go: a URL without credentials and fragment. Which schemes are allowed: `requireScheme`. */
export const WebhookUrl = Schema.String.check(
  Schema.isMaxLength(maxLength, { message: `must have at most ${maxLength} characters` }),
  Schema.makeFilter((text: string) => fault(text) ?? true)
).annotate({ form: `an https URL of at most ${maxLength} characters` })

/** Whether text has the form of a receiver's URL. */
export const isWebhookUrl = Schema.is(WebhookUrl)

/** Receivers are reached over https only, unless the deployment allows http, for development (DECISIONS.md#webhooks). */
export const requireScheme = (url: string, allowsHttp: boolean): Result.Result<string, InvalidArgument> =>
  allowsHttp || /^https:/i.test(url)
    ? Result.succeed(url)
    : Result.fail(new InvalidArgument({ field: "url", reason: "must be an https URL" }))
