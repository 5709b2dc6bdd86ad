import * as CredentialType from "@wcs/domain/holding/CredentialType"
import { Register } from "@wcs/domain/verification/Register"
import { Effect, Layer } from "effect"
import * as HttpRegister from "./HttpRegister.ts"
import type { HttpRegisterSettings } from "./HttpRegisterOptions.ts"
import * as ManualReview from "./ManualReview.ts"
import * as ReferenceRegister from "./ReferenceRegister.ts"

/** The register for credential types that need no manual review. */
export type RegisterChoice =
  | { readonly _tag: "Reference" }
  | { readonly _tag: "Http"; readonly options: HttpRegisterSettings }

/** Routes manual credential types to manual review, and all others to `automatic`. */
export const withManualReview = (automatic: Register["Service"]): Register["Service"] =>
  Register.of({
    ask: (question, tenantId) => {
      const isManual = CredentialType.find(question.credentialType)?.manual === true
      return (isManual ? ManualReview.make : automatic).ask(question, tenantId)
    }
  })

const chosen = (choice: RegisterChoice) =>
  choice._tag === "Reference" ? ReferenceRegister.layer : HttpRegister.layer(choice.options)

/**
 * All registers of a deployment.
 *
 * @public
 */
export const layer = (choice: RegisterChoice): Layer.Layer<Register> =>
  Layer.provide(Layer.effect(Register, Effect.map(Register, withManualReview)), chosen(choice))
