import * as GatewayUrl from "@wcs/register/GatewayUrl"
import * as HttpRegister from "@wcs/register/HttpRegister"
import { Option, Redacted } from "effect"

export const register = (url: string, token: string) =>
  HttpRegister.layer({
    url: Option.getOrThrow(GatewayUrl.fromText(url)),
    access: { _tag: "Bearer", token: Redacted.make(token) }
  })
