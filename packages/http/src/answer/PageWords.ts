import type { LanguageTag } from "@wcs/domain/message/Language"
import type { Refusal } from "@wcs/domain/service/Refusals"
import type { Fault } from "@wcs/domain/shared/SchemaFaults"
import type { Html } from "../Html.ts"

/** The title and the text of a page. */
export interface Told {
  readonly title: string
  readonly text: string
}

/** Why a body, or a whole request, was not accepted. */
export type Unread = "tooLarge" | "unreadable" | "tooMany" | "unavailable" | "failed"

/** The words of the page in a language. A further language is one more file, and its row in `words`. */
export interface PageWords {
  readonly language: LanguageTag
  /** The locale of dates. */
  readonly dates: string
  readonly noLink: Told
  readonly left: Told
  readonly unread: Readonly<Record<Unread, Told>>
  /** The button below a request that can be sent again with what was typed. */
  readonly sendAgain: string
  /** The link below every other page in place of an answer. */
  readonly openAgain: string
  /** What the first page and the form say. */
  readonly asking: {
    readonly title: string
    readonly asks: (organization: Html) => Html
    readonly until: (day: string) => string
    readonly effort: string
    readonly firstDevice: string
    readonly begin: string
    readonly choose: string
    readonly you: string
    readonly check: string
    /** What opens the form again after the answer was sent. */
    readonly correct: string
    readonly shared: string
    readonly leave: string
  }
  /** What a device reads that needs a code. */
  readonly code: {
    readonly title: string
    readonly wrong: string
    readonly other: (organization: Html) => Html
    readonly sent: string
    readonly label: string
    readonly go: string
    readonly send: string
    readonly another: string
  }
  /** The labels of details, by their paths. */
  readonly labels: Readonly<Record<string, string>>
  readonly ifShown: string
  readonly country: string
  readonly consentTitle: string
  /** What is wrong, after the name of a detail. `path` is below the attributes of a credential; of the whole form it is empty. */
  readonly reason: (path: string, reason: Fault["reason"]) => string
  /** The same beside the detail. */
  readonly beside: (reason: string) => string
  readonly faults: { readonly title: string; readonly consent: string }
  /** How far an answer has come. */
  readonly stands: {
    readonly waiting: (organization: string) => string
    readonly approving: (organization: string) => string
    readonly approved: (organization: string) => string
    readonly rejected: (organization: string, reason: string) => string
    readonly closed: (organization: string) => string
  }
  readonly ended: { readonly title: string; readonly text: (organization: string) => string }
  readonly files: {
    readonly title: string
    readonly card: string
    readonly chooseCard: string
    readonly label: string
    readonly add: string
    readonly refused: string
    readonly none: string
    /** The organization has decided, or decides now. */
    readonly closed: string
    /** The button that takes a file back. */
    readonly remove: string
    readonly back: string
    readonly reason: (refusal: Refusal) => string
  }
  readonly summary: {
    readonly title: string
    readonly agreed: string
    readonly send: (organization: string) => string
    readonly change: string
  }
}
