import { api } from "../api/client.ts";
import type { Provider } from "../api/types.ts";
import { Button } from "../ui/Button.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { SpecForm } from "./form.tsx";
import { useResource } from "./resource.ts";
import { Problem, Section } from "./Section.tsx";

/** Keys of one's own: they pay for one's own chats. */
export function PersonalKeys() {
  const providers = useResource<Provider>("/providers");
  const { say } = useToasts();
  return (
    <Section title="Your keys" about="A key of your own pays for your own chats, before the deployment's.">
      <Problem error={providers.error} />
      {providers.items.map((provider) => (
        <SpecForm
          key={provider.id}
          fields={[{ name: "key", label: provider.name, kind: "password", required: true }]}
          initial={{}}
          submit="Save key"
          onSubmit={({ key }) => api.post(`/providers/${provider.id}/keys`, { key, personal: true })}
          onDone={() => say("Saved.")}
        >
          <Button
            look="ghost"
            onClick={() =>
              void api.delete(`/providers/${provider.id}/keys?personal=true`).then(() => say("Removed."))
            }
          >
            Remove mine
          </Button>
        </SpecForm>
      ))}
    </Section>
  );
}
