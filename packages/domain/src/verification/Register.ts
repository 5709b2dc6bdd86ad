import { Context, Data, type Effect } from "effect"
import type { StatusDetail, statusDetails } from "./Verification.ts"

/** What a register is told of a credential: what it needs to find the record, and nothing else of the person. */
export type RegisterQuestion = {
  /** A code of the catalogue. */
  readonly credentialType: string
  readonly jurisdiction: string | null
  readonly identifier: string | null
  readonly issueNumber: string | null
  readonly cardType: string | null
  readonly holder: {
    readonly firstName: string | null
    readonly middleName: string | null
    readonly lastName: string | null
    /** `YYYY-MM-DD`. */
    readonly birthDate: string | null
  }
}

/** What a register can say of a person: everything but that nothing is known yet, or that it could not be asked. */
export type RegisterDetail = (typeof statusDetails)["MAY_ENGAGE" | "MAY_NOT_ENGAGE" | "REVIEW_REQUIRED"][number]

/** Why a register gave no answer. */
export type RegisterFault = (typeof statusDetails)["ERROR"][number] & StatusDetail

/** What a register answers. */
export type RegisterAnswer =
  | {
      readonly _tag: "Found"
      readonly statusDetail: RegisterDetail
      /** The last day of validity, `YYYY-MM-DD`, where the register knows one. */
      readonly expiryDate: string | null
    }
  /** A person will decide (DECISIONS.md#verification: manual review). */
  | { readonly _tag: "Queued" }

/** The register gave no answer. */
export class RegisterFailed extends Data.TaggedError("RegisterFailed")<{
  readonly fault: RegisterFault
  /** Whether the same question may be answered later. */
  readonly isTransient: boolean
  /** For the log: what happened, without anything of the person or of a secret. */
  readonly detail: string
}> {}

/** The registers that credentials are verified against, seen as one. */
export class Register extends Context.Service<
  Register,
  {
    /**
     * Asks about one credential. It ends within a time that the adapter limits by itself, asks no more than once for
     * one call where the register counts, and can be interrupted.
     */
    readonly ask: (question: RegisterQuestion) => Effect.Effect<RegisterAnswer, RegisterFailed>
  }
>()("@wcs/domain/Register") {}
