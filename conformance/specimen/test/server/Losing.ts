import type { Answer } from "@wcs/conformance/wire/Exchange"
import { NoAnswer } from "@wcs/conformance/wire/Wire"
import type { Serve } from "@wcs/specimen/target/Serve"
import { Effect } from "effect"

const reset = Effect.fail(new NoAnswer({ silence: "reset", detail: "ECONNRESET" }))

/** The answer of a gateway. */
const badGateway: Answer = { status: 502, headers: {}, text: "", json: undefined }

/**
 * Loses some of a thousand answers: equally before and after the call, and equally in silence and as a gateway error.
 */
export const losing =
  (perMille: number, seed: number) =>
  (serve: Serve): Serve => {
    let state = seed
    const next = () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor(state / 65_536)
    }
    return (request) =>
      Effect.suspend(() => {
        if (next() % 1000 >= perMille) return serve(request)
        const lost = next() % 2 === 0 ? reset : Effect.succeed(badGateway)
        return next() % 2 === 0 ? lost : Effect.andThen(serve(request), lost)
      })
  }
