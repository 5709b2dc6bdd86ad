import { Option, Result, Schema } from "effect"
import { InvalidArgument } from "../shared/InvalidArgument.ts"

const maxLength = 2048

/** The characters of a URL (RFC 3986, section 2). */
const characters = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/

const form = /^https?:\/\/(?<authority>[^/?#]*)/i

const isParseable = (text: string): boolean => Option.isSome(Schema.decodeUnknownOption(Schema.URLFromString)(text))

/** The fault in the form of a URL, if any. The text never quotes the URL, which may contain a password. */
const fault = (text: string): string | undefined => {
  const authority = form.exec(text)?.groups?.["authority"]
  if (authority === undefined) return "must be an https URL"
  if (authority.includes("@")) return "must have no user name and no password"
  if (text.includes("#")) return "must have no fragment"
  // A lenient parser would drop other characters and see a different URL than the one judged here.
  if (!characters.test(text)) return "must consist of the characters of a URL (RFC 3986)"
  return authority !== "" && isParseable(text) ? undefined : "must be a URL with a host"
}

/** URL of a webhook, without credentials and fragment. `requireScheme` checks the scheme. */
export const WebhookUrl = Schema.String.annotate({ format: "uri" })
  .check(
    Schema.isMaxLength(maxLength, { message: `must have at most ${maxLength} characters` }),
    Schema.makeFilter((text: string) => fault(text) ?? true)
  )
  .annotate({ valueFormat: `an https URL of at most ${maxLength} characters` })

export const isWebhookUrl = Schema.is(WebhookUrl)

/** Fails unless the URL is https, or http in a development deployment (DECISIONS.md#webhooks). */
export const requireScheme = (url: string, allowsHttp: boolean): Result.Result<string, InvalidArgument> =>
  allowsHttp || /^https:/i.test(url)
    ? Result.succeed(url)
    : Result.fail(new InvalidArgument({ field: "url", reason: "must be an https URL" }))
