import { Data, Option, Result, Schema } from "effect"
import { withoutNulls } from "./AbsentNulls.ts"
import { excerptOf, type Fault, faultsOf } from "./SchemaFaults.ts"

/** Parts of the request are missing, malformed or not allowed (§7.1, 400). */
export class InvalidArgument extends Data.TaggedError("InvalidArgument")<
  Fault & {
    /** The other wrong fields. */
    readonly others?: ReadonlyArray<Fault>
    /** Whether more fields are wrong than the error names. */
    readonly isCut?: true
    /** The body shapes that the call accepts. */
    readonly shapes?: ReadonlyArray<string>
  }
> {}

/** The body is not JSON, or is nested too deeply. */
export class MalformedBody extends Data.TaggedError("MalformedBody")<{ readonly reason: string }> {}

/** The identifier must be a URN. */
export class InvalidUrn extends Data.TaggedError("InvalidUrn")<{ readonly field: string }> {}

/** The maximum number of fields that one error names. */
export const namedMax = 20

// The ellipsis shows that the text is cut.
const shortened = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`

const bounded = ({ field, reason }: Fault): Fault => ({
  field: shortened(field, 200),
  reason: shortened(reason, 1000)
})

/** The context of a decoded value. */
export interface Decoding {
  /** The path of the value in the request, for field names. */
  readonly within?: string
  /** The body shapes that the call accepts, if the error should name them. */
  readonly shapes?: ReadonlyArray<string>
  /** Whether null in an optional field is an error, because it does not mean absent. For patches. */
  readonly refusesNull?: true
}

const refusalOf = (faults: ReadonlyArray<Fault>, { shapes, within = "" }: Decoding): InvalidArgument => {
  const distinct = [...Map.groupBy(faults, ({ field }) => field).values()].flatMap((alike) => alike.slice(0, 1))
  const [first = { field: within, reason: "is not valid" }, ...others] = distinct.slice(0, namedMax).map(bounded)
  return new InvalidArgument({
    ...first,
    ...(others.length === 0 ? {} : { others }),
    ...(distinct.length > namedMax ? { isCut: true } : {}),
    ...(shapes === undefined ? {} : { shapes })
  })
}

/** Returns the error with the wrong fields that a schema found. */
export const fromSchemaError = (error: Schema.SchemaError, decoding: Decoding = {}): InvalidArgument =>
  refusalOf(faultsOf(error, decoding.within), decoding)

/**
 * Returns a decoder that fails with every wrong field. Null counts as absent in optional fields. The first pass stops at the first fault, because collecting all
 * is slow. The second pass collects faults from the first items of each array.
 */
export const decodeArgument = <A, I>(schema: Schema.Codec<A, I>, decoding: Decoding = {}) => {
  const decode = Schema.decodeUnknownResult(schema)
  const decodeAll = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (sent: unknown): Result.Result<A, InvalidArgument> => {
    const value = decoding.refusesNull === true ? sent : withoutNulls(schema.ast, sent)
    return Result.mapError(decode(value), (error) => {
      const all = Option.toArray(Result.getFailure(decodeAll(excerptOf(schema.ast, value, namedMax + 1))))
      // The excerpt misses faults in later items and in the length of an array.
      const faults = [...all, error].flatMap((each) => faultsOf(each, decoding.within))
      return refusalOf(faults, decoding)
    })
  }
}
