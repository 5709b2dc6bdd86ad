import { Context, type Effect } from "effect"
import type { Actor } from "../audit/AuditEntry.ts"
import type { SigningKeyUse } from "./SigningKey.ts"

/** Replaces signing keys before their time, while servers run. */
export class SigningKeyRotation extends Context.Service<
  SigningKeyRotation,
  {
    /**
     * Creates the next key of a use and returns its kid. It signs from now on, in other servers within a second. Older
     * keys verify for as long as their signatures can live.
     */
    readonly rotate: (use: SigningKeyUse, actor: Actor) => Effect.Effect<string>
  }
>()("@wcs/domain/SigningKeyRotation") {}
