/** Who is looking. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext, useEffect } from "react";
import { api, onSessionExpired, setCsrfToken } from "../api/client.ts";
import { ApiError } from "../api/errors.ts";
import type { Me } from "../api/types.ts";
import { claim } from "./owner.ts";

export type Session =
  | { kind: "loading" }
  | { kind: "out" }
  | { kind: "unreachable"; reason: string; again: () => void }
  | { kind: "in"; me: Me }
  /** The page is as it was, and waits for somebody to sign in again. */
  | { kind: "expired"; me: Me };

export const MeContext = createContext<Me | null>(null);

export function useMe(): Me {
  const me = useContext(MeContext);
  if (!me) throw new Error("Nobody is signed in.");
  return me;
}

export function mayAdminister(me: Me): boolean {
  return me.role === "owner" || me.role === "admin";
}

export function useSession(): Session {
  const client = useQueryClient();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["me"],
    queryFn: async () => {
      const me = await api.get("/me");
      setCsrfToken(me.csrf_token);
      claim(localStorage, me.id);
      return me;
    },
    retry: (failures, reason) => !(reason instanceof ApiError && reason.status === 401) && failures < 2,
    retryDelay: 500,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(() => onSessionExpired(() => void client.invalidateQueries({ queryKey: ["me"] })), [client]);
  if (error instanceof ApiError && error.status === 401)
    return data ? { kind: "expired", me: data } : { kind: "out" };
  if (data) return { kind: "in", me: data };
  if (isPending) return { kind: "loading" };
  return { kind: "unreachable", reason: String(error?.message ?? ""), again: () => void refetch() };
}
