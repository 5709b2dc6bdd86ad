import type { StoredDocument } from "../document/Document.ts"
import { type AnswerFields, type Asked, cardOfFile } from "../screening/Answer.ts"
import { type Entered, enteredOf } from "../screening/AnswerEntry.ts"
import type { Notice } from "./Notice.ts"

/** What the visitor of a link may see. It has nothing of the records of the organization but what is asked. */
export type AnswerView = StrangerView | EndedView | BoundView

/** What anybody with the link sees. */
export type StrangerView =
  /** No device is bound yet. */
  | { readonly _tag: "First"; readonly credentialTypes: ReadonlyArray<string>; readonly until: string }
  /** Another device is bound. */
  | { readonly _tag: "Foreign" }

/** What the person sees on a bound device after the request has ended. */
export interface EndedView extends Decided {
  readonly _tag: "Ended"
}

/** How far an answer has come. */
interface Decided {
  /** Whether an officer has to decide, or what was decided. Undefined without an answer. */
  readonly state: AnswerFields["state"] | undefined
  /** Why the answer was rejected. */
  readonly reason: string | undefined
}

/** What the person sees on a bound device. */
export interface BoundView extends Decided {
  readonly _tag: "Bound"
  readonly credentialTypes: ReadonlyArray<string>
  readonly until: string
  /** The words of the organization to the person. */
  readonly message: string | undefined
  readonly notice: Notice
  /** Names the words of the notice. */
  readonly noticeKey: string
  /** What the person has entered before. */
  readonly entered: Entered
  /** Type codes of the cards that were sent. A file can show one of them. */
  readonly sent: ReadonlyArray<string>
  /** The files that the person has added. */
  readonly files: ReadonlyArray<ShownFile>
}

/** A file of an answer. */
export interface ShownFile {
  readonly id: string
  readonly name: string
  /** Code of the type of the card that it shows; undefined if that is not known. */
  readonly card: string | undefined
}

/** Returns what a device may see that is not bound. */
export const strangerView = (
  standing: "first" | "foreign",
  { credentialTypes, until }: Pick<Asked, "credentialTypes" | "until">
): StrangerView => (standing === "first" ? { _tag: "First", credentialTypes, until } : { _tag: "Foreign" })

const decidedOf = (answer: AnswerFields | undefined): Decided => ({
  state: answer?.state,
  reason: answer?.decision?.reason
})

/** Returns what the person sees after the end of the request. */
export const endedView = (answer: AnswerFields | undefined): EndedView => ({ _tag: "Ended", ...decidedOf(answer) })

/** Returns what the person sees on a bound device. */
export const boundView = (
  { credentialTypes, message, until }: Asked,
  answer: AnswerFields | undefined,
  notice: Notice,
  noticeKey: string
): BoundView => ({
  _tag: "Bound",
  ...{ credentialTypes, message, until, notice, noticeKey, ...decidedOf(answer) },
  entered: enteredOf(answer?.cards ?? []),
  sent: (answer?.cards ?? []).map(({ credentialType }) => credentialType),
  files: []
})

/** The files of an answer, as the person sees them. */
export const filesOf = (
  documents: ReadonlyArray<StoredDocument>,
  cards: AnswerFields["cards"]
): ReadonlyArray<ShownFile> =>
  documents.flatMap(({ card, id, name, status }) =>
    status === "STORED" ? [{ id, name, card: cardOfFile(card, cards) }] : []
  )
