import { answerPath } from "@wcs/domain/answer/AnswerMinting"
import { HttpServerResponse } from "effect/http"
import type { Call } from "../pipeline/Call.ts"
import { noLinkPage, unreadPage } from "./AnswerPages.ts"
import { wordsFor } from "./PageLanguages.ts"
import type { PageWords, Unread } from "./PageWords.ts"

type Response = HttpServerResponse.HttpServerResponse

const reasons: Readonly<Record<number, Unread>> = {
  413: "tooLarge",
  414: "unreadable",
  429: "tooMany",
  503: "unavailable"
}

const pageOf = (words: PageWords, status: number): Response => {
  if (status === 404) return noLinkPage(words)
  return unreadPage(words, reasons[status] ?? (status >= 500 ? "failed" : "unreadable"), status)
}

/** The headers of a refusal that hold for its page, too. */
const kept = ["retry-after", "connection", "allow", "accept-encoding"]

const isJson = ({ body }: Response): boolean =>
  "contentType" in body && body.contentType?.startsWith("application/json") === true

/** The response to a person with a browser: a refusal of the page of a link is a page, and never JSON. */
export const readable = ({ path, request }: Pick<Call, "path" | "request">, response: Response): Response => {
  const { headers, status } = response
  if (status < 400 || !path.startsWith(`${answerPath}/`) || !isJson(response)) return response
  const values = Object.fromEntries(Object.entries(headers).filter(([name]) => kept.includes(name)))
  return HttpServerResponse.setHeaders(pageOf(wordsFor(request.headers["accept-language"]), status), values)
}
