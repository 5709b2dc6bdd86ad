import { dayAt, defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { Register, RegisterFailed } from "@wcs/domain/verification/Register"
import { Clock, Effect, Layer } from "effect"
import { meaningOf } from "./GatewayContract.ts"
import { answering, cards } from "./ReferenceGateway.ts"

/** The reference gateway in this process, for development and trials. */
export const make = (): Register["Service"] => {
  const answer = answering(cards)
  return Register.of({
    ask: Effect.fn("ReferenceRegister.ask")(function* (question) {
      const answered = answer(question, dayAt(yield* Clock.currentTimeMillis, defaultTimeZone))
      return answered === undefined
        ? yield* new RegisterFailed({
            ...{ fault: "SOURCE_NOT_CONFIGURED", isTransient: false },
            detail: `the reference gateway has no register for ${question.credentialType}`
          })
        : meaningOf(answered)
    })
  })
}

export const layer: Layer.Layer<Register> = Layer.sync(Register, make)
