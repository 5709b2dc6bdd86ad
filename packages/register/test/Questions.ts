import { Register, type RegisterQuestion } from "@wcs/domain/verification/Register"
import { Effect, type Layer } from "effect"

/** A query about a person with this identifier. */
export const questionAbout = (identifier: string | null, credentialType = "WWCC_NSW"): RegisterQuestion => ({
  credentialType,
  jurisdiction: "NSW",
  identifier,
  issueNumber: null,
  cardType: null,
  expiryDate: null,
  holder: { firstName: "Ann", middleName: null, lastName: "Example", birthDate: "1990-04-01", otherNames: [] },
  issuingCountry: null
})

/** The answer of a register or its failure, as comparable data. */
export const asked = (question: RegisterQuestion) =>
  Effect.match(
    Register.use(({ ask }) => ask(question, "tnt_1")),
    {
      onSuccess: (answer): object => answer,
      onFailure: ({ fault, isTransient }): object => ({ fault, isTransient })
    }
  )

export const askedOf = (register: Layer.Layer<Register>, question: RegisterQuestion) =>
  Effect.provide(asked(question), register, { local: true })
