import { readFileSync } from "node:fs"
import { Answer, Question } from "@wcs/register/GatewayContract"
import { Data, Effect, Schema } from "effect"

/** A card that the register knows: the query about it, and what the register shows. */
export const Sample = Schema.Struct({
  question: Question,
  answer: Schema.Struct({
    statusDetail: Answer.fields.statusDetail,
    /** Compared only if it is given. */
    expiryDate: Answer.fields.expiryDate
  })
})
export type Sample = typeof Sample.Type

/** The most cards of a file: each is asked about several times. */
const maxSamples = 200

const Samples = Schema.fromJsonString(Schema.Array(Sample).check(Schema.isMinLength(1), Schema.isMaxLength(maxSamples)))

/** The file of known cards cannot be used. */
export class SamplesRefused extends Data.TaggedError("SamplesRefused")<{ readonly message: string }> {}

/** Reads the known cards of a file. */
export const readSamples = Effect.fnUntraced(function* (file: string) {
  const text = yield* Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: () => new SamplesRefused({ message: `--samples: cannot read ${file}` })
  })
  return yield* Effect.mapError(
    Schema.decodeUnknownEffect(Samples)(text),
    ({ message }) => new SamplesRefused({ message: `--samples: ${file} is no list of cards: ${message}` })
  )
})
