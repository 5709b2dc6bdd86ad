import { hostName } from "@wcs/domain/access/Tenant"
import { pageLanguage } from "@wcs/domain/answer/PageLanguage"
import type { LanguageTag } from "@wcs/domain/message/Language"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Call } from "../pipeline/Call.ts"
import { readText } from "../request/RequestBody.ts"
import { type Kept, noLinkPage, unreadPage } from "./AnswerPages.ts"
import { acceptedLanguages, words } from "./PageLanguages.ts"
import type { Unread } from "./PageWords.ts"

/** The largest form: the details of many cards. */
export const formLimitBytes = 64 * 1024

/** The most fields that a page keeps for another try. */
const keptMax = 200

type Response = HttpServerResponse.HttpServerResponse

const reasons: Readonly<Record<number, Unread>> = {
  413: "tooLarge",
  414: "unreadable",
  429: "tooMany",
  503: "unavailable"
}

/** The statuses after which the same form can succeed. */
const passing: ReadonlyArray<number> = [429, 503]

/** The headers of a refusal that hold for its page, too. */
const keptHeaders = ["retry-after", "connection", "allow", "accept-encoding"]

const isJson = ({ body }: Response): boolean =>
  "contentType" in body && body.contentType?.startsWith("application/json") === true

export const isMultipart = ({ request }: Call): boolean =>
  (request.headers["content-type"] ?? "").toLowerCase().startsWith("multipart/form-data")

/**
 * Makes the pages in place of refusals, also of those before the link was looked up. A page has what was typed if the form can
 * be sent again. It is in the language of the organization as soon as this process has read it for another page.
 */
export const make = () => {
  const languages = new Map<string, LanguageTag>()
  const forms = new WeakMap<Call, URLSearchParams>()

  const hostOf = ({ request }: Call): string => hostName(request.headers["host"] ?? "")

  const wordsFor = (call: Call) => {
    const accepted = acceptedLanguages(call.request.headers["accept-language"])
    return words[pageLanguage(languages.get(hostOf(call)) ?? "en", accepted)]
  }

  /** Reads the form of a call. A body can be read once, so a second read returns what the first one has found. */
  const readForm = Effect.fnUntraced(function* (call: Call) {
    const known = forms.get(call)
    if (known !== undefined) return known
    forms.set(call, new URLSearchParams())
    const form = new URLSearchParams(yield* readText(call, formLimitBytes))
    forms.set(call, form)
    return form
  })

  const typedIn = (call: Call, status: number): Effect.Effect<Kept> =>
    call.request.method === "POST" && passing.includes(status) && !isMultipart(call)
      ? Effect.map(
          Effect.orElseSucceed(readForm(call), () => new URLSearchParams()),
          (form) => [...form].slice(0, keptMax)
        )
      : Effect.succeed([])

  return {
    readForm,

    /** Remembers the language of the organization at the host of a call. */
    learn: (call: Call, language: LanguageTag): void => {
      languages.set(hostOf(call), language)
    },

    /** The page for a person in place of a refusal. */
    refused: (call: Call, refusal: Response): Effect.Effect<Response> => {
      const { headers, status } = refusal
      if (!isJson(refusal)) return Effect.succeed(refusal)
      const values = Object.fromEntries(Object.entries(headers).filter(([name]) => keptHeaders.includes(name)))
      return Effect.map(typedIn(call, status), (kept) => {
        const told = wordsFor(call)
        const why = reasons[status] ?? (status >= 500 ? "failed" : "unreadable")
        const page = status === 404 ? noLinkPage(told) : unreadPage(told, why, status, kept)
        return HttpServerResponse.setHeaders(page, values)
      })
    }
  }
}
