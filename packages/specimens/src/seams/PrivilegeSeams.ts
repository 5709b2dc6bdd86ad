import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { Forbidden, nameOf, type Privilege, PrivilegeRules, type Privileges } from "@wcs/domain/access/Privilege"
import { Effect, Result } from "effect"
import { asBearer, byAccepted, isPersonal } from "../Callers.ts"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "./Rewrite.ts"
import * as Seams from "./Seams.ts"

/** Whether these privileges include a requested one. */
export type Has = (privileges: Privileges, asked: Privilege) => boolean

export const has: Has = (privileges, asked) => privileges.has(nameOf(asked))

/** Replaces the check for a privilege. */
export const lookingFor = (isThere: Has) =>
  Seams.rules(PrivilegeRules, () => ({
    authorize: (account, privileges, required) => {
      const refused = required.find((asked) => !isThere(privileges, asked))
      return refused === undefined ? Result.succeed(undefined) : Result.fail(new Forbidden({ account, ...refused }))
    }
  }))

/** Grants additional privileges. */
export const granting = (isGranted: Has) =>
  lookingFor((privileges, asked) => has(privileges, asked) || isGranted(privileges, asked))

/** Changes the message of refusals. */
export const refusing = (
  change: (refused: Forbidden) => Partial<Pick<Forbidden, "account" | "operation" | "entityType">>
) =>
  Seams.rules(PrivilegeRules, ({ authorize }) => ({
    authorize: (...asked) =>
      Result.mapError(authorize(...asked), (refused) => {
        const { account, entityType, operation } = refused
        return new Forbidden({ account, entityType, operation, ...change(refused) })
      })
  }))

/** The ways to serve a call that was refused. */
export interface Refused {
  readonly refusal: Answer
  readonly request: Request
  /** Sends a request with every privilege. */
  readonly asAdmin: Serve
  /** Sends a request as the refused caller. */
  readonly asCaller: Serve
}

/** Serves calls differently after a refusal with a status. */
export const whereRefused =
  (status: number) => (where: Rewrite.Where, again: (refused: Refused) => ReturnType<Serve>) =>
    byAccepted((request, accepted, serve) => {
      const admin = accepted.find((token) => !isPersonal(token))
      const asAdmin: Serve = (call) => serve(admin === undefined ? call : asBearer(call, admin))
      return Rewrite.instead(where, (asked, asCaller) =>
        Effect.flatMap(asCaller(asked), (refusal) =>
          refusal.status === status ? again({ refusal, request: asked, asAdmin, asCaller }) : Effect.succeed(refusal)
        )
      )(serve)(request)
    })

/** Serves calls differently after a refusal for a missing privilege. */
export const whereForbidden = whereRefused(403)

/** Calls without a privilege check. */
export const open = (where: Rewrite.Where) => whereForbidden(where, ({ asAdmin, request }) => asAdmin(request))

/** Calls that need another call's privilege. The other call is made and must have no effect. */
export const openToCallersWho = (where: Rewrite.Where, may: (request: Request) => Request) =>
  whereForbidden(where, ({ asAdmin, asCaller, refusal, request }) =>
    Effect.flatMap(asCaller(may(request)), ({ status }) =>
      status === 403 ? Effect.succeed(refusal) : asAdmin(request)
    )
  )

/** Calls that are refused but take effect. */
export const refusedAndDone = (where: Rewrite.Where, status = 403) =>
  whereRefused(status)(where, ({ asAdmin, refusal, request }) => Effect.as(asAdmin(request), refusal))
