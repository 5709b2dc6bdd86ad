import { Caller } from "@wcs/domain/access/Caller"
import type { Privilege } from "@wcs/domain/access/Privilege"
import type { Query } from "@wcs/domain/resource/ListQuery"
import type { BodyRefusal } from "@wcs/domain/service/HttpRefusal"
import type { Refusal } from "@wcs/domain/service/Refusals"
import type { Instant } from "@wcs/domain/shared/Instant"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { Clock, Context, type Effect, type Stream } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { Payer } from "../request/BodyBudget.ts"
import type { Incoming } from "../request/Incoming.ts"
import { type Surface, surfaceOf } from "../Surface.ts"
import { pathOf } from "./PathMatching.ts"
import { baseHeaders, type ResponseHeaders } from "./ResponseHeaders.ts"

/** Reads the body of a call, within the limits for bodies in memory. */
export interface BodyReading {
  readonly whole: (call: Call, limitBytes: number) => Effect.Effect<Uint8Array, BodyRefusal>
  readonly pieces: (call: Call, limitBytes: number) => Stream.Stream<Uint8Array, BodyRefusal>
}

/** One request on its way through the pipeline. Steps add to it. */
export class Call {
  readonly request: Incoming
  readonly requestId: string
  /** The path without the query and without unnecessary escapes. */
  readonly path: string
  readonly surface: Surface
  /** The address or network of the client. */
  readonly address: string
  readonly headers: ResponseHeaders
  /** The parameters in the path of the route. */
  params: Readonly<Record<string, string | undefined>> = {}
  query: Query = {}
  /** The services of the handler. */
  services: Context.Context<never>
  /** The account of the authenticated caller, and the client id or email that a caller claims, for the log of refusals. */
  account: string | undefined
  claimed: string | undefined
  /** The caller for the budget of the body's bytes; undefined before authentication: the address counts. */
  payer: Payer | undefined
  /** The privileges of the route's guard, and its 401, for a caller who ends during the call. */
  needs: ReadonlyArray<Privilege> = []
  unauthorized: HttpServerResponse.HttpServerResponse | undefined
  readonly #clock: Clock.Clock
  readonly #read: BodyReading

  constructor(
    request: Incoming,
    requestId: string,
    read: BodyReading,
    context: Context.Context<never> = Context.empty()
  ) {
    this.#clock = Context.get(context, Clock.Clock)
    this.request = request
    this.requestId = requestId
    this.path = pathOf(request.url)
    this.surface = surfaceOf(this.path)
    this.address = request.peer.address
    this.headers = baseHeaders(requestId, request.headers["x-request-id"])
    this.services = Context.add(context, RequestId, requestId)
    this.#read = read
  }

  /** The time at this moment, for steps that end without a fiber. */
  get now(): Instant {
    return this.#clock.currentTimeMillisUnsafe()
  }

  /** Returns a service that an earlier step has added. */
  service<I, S>(key: Context.Key<I, S>): S {
    return Context.getUnsafe(this.services, key)
  }

  /** Reads the body up to a limit. */
  receive(limitBytes: number): Effect.Effect<Uint8Array, BodyRefusal> {
    return this.#read.whole(this, limitBytes)
  }

  /** Reads the body piece by piece, up to a limit. */
  receivePieces(limitBytes: number): Stream.Stream<Uint8Array, BodyRefusal> {
    return this.#read.pieces(this, limitBytes)
  }

  /** Continues as a caller. `unauthorized` is the response if the caller ends during the call. */
  continueAs(caller: Caller["Service"], unauthorized: HttpServerResponse.HttpServerResponse): void {
    this.provide(Caller, caller)
    this.account = caller.account
    this.payer = caller
    this.unauthorized = unauthorized
  }

  /** Adds a service for the handler. */
  provide<I, S>(key: Context.Key<I, S>, service: S): void {
    this.services = Context.add(this.services, key, service)
  }
}

/** Ends a call without its handler: a refusal, or a response that has no error code. */
export type Ending = Refusal | HttpServerResponse.HttpServerResponse

/** Answers a call that reached its route. */
export type Answer<R = never> = (call: Call) => Effect.Effect<HttpServerResponse.HttpServerResponse, Ending, R>
