import { Register, type RegisterQuestion } from "@wcs/domain/verification/Register"
import { Effect, type Layer } from "effect"

/** Asks about somebody whose identifier this is. */
export const questionAbout = (identifier: string | null, credentialType = "WWCC_NSW"): RegisterQuestion => ({
  credentialType,
  jurisdiction: "NSW",
  identifier,
  issueNumber: null,
  cardType: null,
  holder: { firstName: "Ann", middleName: null, lastName: "Example", birthDate: "1990-04-01" }
})

/** What a register answers, or how it fails: facts that can be compared. */
export const asked = (question: RegisterQuestion) =>
  Effect.match(
    Register.use(({ ask }) => ask(question)),
    {
      onSuccess: (answer): object => answer,
      onFailure: ({ fault, isTransient }): object => ({ fault, isTransient })
    }
  )

export const askedOf = (register: Layer.Layer<Register>, question: RegisterQuestion) =>
  Effect.provide(asked(question), register, { local: true })
