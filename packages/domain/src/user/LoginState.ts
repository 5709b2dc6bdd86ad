import { Schema } from "effect"
import { time } from "../resource/ShownFields.ts"
import { type SignInMethod, signInMethods } from "../session/Session.ts"
import { type Instant, toRfc3339, toRfc3339OrNull } from "../shared/Instant.ts"

/** What an administrator sees of the logins of a user. It is computed from the sessions and the second factor. */
export interface LoginState {
  /** The newest login in a browser. Null before the first one. */
  readonly lastLogin: { readonly at: Instant; readonly method: SignInMethod } | null
  /** The authenticator app in force. Null if there is none. `lastUsedAt` is when its last code was made. */
  readonly secondFactor: { readonly since: Instant; readonly lastUsedAt: Instant | null } | null
}

/** The state of a user without logins. */
export const noLogins: LoginState = { lastLogin: null, secondFactor: null }

/** The fields of a user's document. */
export const loginFields = {
  lastLogin: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        at: time.annotate({ description: "When the user logged in." }),
        method: Schema.Literals(signInMethods).annotate({ description: "How the user authenticated." })
      })
    )
  ).annotateKey({
    description:
      "The last login in a browser, by a password or through an identity provider. Null before the first one. Absent without " +
      "READ of sessions and UPDATE of users, except of the caller."
  }),
  secondFactor: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        since: time.annotate({ description: "When the user set up the authenticator app." }),
        lastUsedAt: Schema.NullOr(time).annotate({
          description:
            "When the app made the last code that was accepted. Recovery codes do not count. Null if unknown."
        })
      })
    )
  ).annotateKey({
    description: "The authenticator app of the user. Null if there is none. Absent like `lastLogin`."
  })
}

export const showLogins = ({ lastLogin, secondFactor }: LoginState) => ({
  lastLogin: lastLogin === null ? null : { at: toRfc3339(lastLogin.at), method: lastLogin.method },
  secondFactor:
    secondFactor === null
      ? null
      : { since: toRfc3339(secondFactor.since), lastUsedAt: toRfc3339OrNull(secondFactor.lastUsedAt) }
})
