import { NewerSurface } from "@wcs/api/NewerSurface"
import { shown } from "@wcs/domain/credential/CredentialType"
import { HttpApiBuilder } from "effect/http-api"
import { wholeList } from "./WholeList.ts"

export const layer = HttpApiBuilder.group(NewerSurface, "credentialTypes", (handlers) =>
  handlers.handle("list", () => wholeList(shown))
)
