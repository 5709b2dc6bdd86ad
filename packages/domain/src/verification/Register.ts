import { Context, Data, type Effect } from "effect"
import type { ConclusiveDetail, StatusDetail, statusDetails } from "../holding/Verification.ts"

/** The query to a register: the values that identify the record, and nothing else about the person. */
export type RegisterQuestion = {
  /** A code of the catalogue. */
  readonly credentialType: string
  readonly jurisdiction: string | null
  readonly identifier: string | null
  readonly issueNumber: string | null
  readonly cardType: string | null
  /**
   * The last day of validity as the caller declared it, `YYYY-MM-DD`, if the register asks for it. Never the date of an
   * earlier answer.
   */
  readonly expiryDate: string | null
  readonly holder: {
    readonly firstName: string | null
    readonly middleName: string | null
    readonly lastName: string | null
    /** `YYYY-MM-DD`. */
    readonly birthDate: string | null
    /** Earlier and further names, to be tried in this order. */
    readonly otherNames: ReadonlyArray<{ readonly firstName: string | null; readonly lastName: string }>
  }
  /** The country that issued the document, ISO 3166-1 alpha-2. */
  readonly issuingCountry: string | null
}

/** Verdicts that a register can return. */
export type RegisterDetail = ConclusiveDetail

/** What a register can compare with its record. */
export const comparable = ["identifier", "name", "birthDate"] as const
export type Matched = (typeof comparable)[number]

/** Why a register gave no answer. */
export type RegisterFault = (typeof statusDetails)["ERROR"][number] & StatusDetail

/** The answer of a register. */
export type RegisterAnswer =
  | {
      readonly _tag: "Found"
      readonly statusDetail: RegisterDetail
      /** The last day of validity, `YYYY-MM-DD`, when known. */
      readonly expiryDate: string | null
      /** What the register compared; absent if it compares all that it was asked with. */
      readonly matched?: ReadonlyArray<Matched>
    }
  /** A person will decide (DECISIONS.md#verification: manual review). */
  | { readonly _tag: "Queued" }
  /** The register was not asked yet: its source is paused or at a limit. The question is due again after the delay, or later. */
  | { readonly _tag: "Deferred"; readonly delayMillis: number }

/** The register gave no answer. */
export class RegisterFailed extends Data.TaggedError("RegisterFailed")<{
  readonly fault: RegisterFault
  /** Whether a retry may succeed. */
  readonly isTransient: boolean
  /** What the gateway refused, if it did. At the wrong address, no gateway answers. */
  readonly refused?: "secret" | "question" | "address" | undefined
  /** The cause for the log, without personal data or secrets. */
  readonly detail: string
}> {}

/** All registers that credentials are verified against, behind one interface. */
export class Register extends Context.Service<
  Register,
  {
    /**
     * Asks about one credential of a tenant. The adapter limits the time. It sends at most one request per call when the register
     * counts requests. Interruptible.
     */
    readonly ask: (question: RegisterQuestion, tenantId: string) => Effect.Effect<RegisterAnswer, RegisterFailed>
  }
>()("@wcs/domain/Register") {}
