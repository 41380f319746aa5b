// A form made from a JSON Schema by the form library, in the look of the console. The schema is somebody else's: all of
// its texts are shown as text.

import type { JsonObject } from '@portico/contracts';
import Form from '@rjsf/core/lib/components/Form.js';
import type {
  DescriptionFieldProps,
  FieldTemplateProps,
  IconButtonProps,
  RJSFSchema,
  TemplatesType,
  TitleFieldProps,
} from '@rjsf/utils';
import { type ReactNode, useMemo } from 'react';
import { createSchemaValidator } from '../lib/schema-validator.js';
import { Button } from './button.js';
import { VisibleText } from './visible-text.js';

interface SchemaFormProps {
  readonly schema: JsonObject;
  readonly value: JsonObject;
  /** What names the fields of this form apart from those of others on the page. */
  readonly idPrefix: string;
  onValue(value: JsonObject): void;
  onSubmit(value: JsonObject): void;
  /** The buttons below. */
  readonly children: ReactNode;
}

export function SchemaForm({ schema, value, idPrefix, onValue, onSubmit, children }: SchemaFormProps) {
  const validator = useMemo(createSchemaValidator, []);
  return (
    <Form
      schema={schema as RJSFSchema}
      formData={value}
      validator={validator}
      idPrefix={idPrefix}
      className="schema-form"
      templates={templates}
      uiSchema={uiSchema}
      showErrorList={false}
      noHtml5Validate
      onError={() => {}} // said beside the fields; the library would write it to the console as well
      experimental_defaultFormStateBehavior={{ emptyObjectFields: 'populateRequiredDefaults' }}
      onChange={({ formData }) => onValue((formData ?? {}) as JsonObject)}
      onSubmit={({ formData }) => onSubmit((formData ?? {}) as JsonObject)}
    >
      <div className="actions">{children}</div>
    </Form>
  );
}

const uiSchema = { 'ui:title': ' ', 'ui:label': false };

function FieldFrame({
  id,
  label,
  required,
  children,
  errors,
  rawErrors = [],
  description,
  hidden,
  displayLabel,
}: FieldTemplateProps) {
  if (hidden) return <div hidden>{children}</div>;
  return (
    <div className={rawErrors.length > 0 ? 'field is-wrong' : 'field'}>
      {displayLabel && label !== '' ? (
        <label htmlFor={id}>
          <VisibleText text={label} />
          {required ? <span className="required"> (required)</span> : null}
        </label>
      ) : null}
      {children}
      {displayLabel ? description : null}
      {errors}
    </div>
  );
}

function Description({ id, description }: DescriptionFieldProps) {
  if (description === undefined || description === '') return null;
  return (
    <p id={id} className="hint">
      {typeof description === 'string' ? <VisibleText text={description} /> : description}
    </p>
  );
}

function Title({ id, title, required }: TitleFieldProps) {
  if (title.trim() === '') return null;
  return (
    <legend id={id}>
      <VisibleText text={title} />
      {required ? <span className="required"> (required)</span> : null}
    </legend>
  );
}

const iconButton = (word: string) =>
  function IconButton({ id, disabled, onClick }: IconButtonProps) {
    return (
      <Button variant="quiet" id={id} disabled={disabled} onClick={onClick}>
        {word}
      </Button>
    );
  };

function FieldErrors({
  errors = [],
  fieldPathId,
}: {
  readonly errors?: readonly ReactNode[];
  readonly fieldPathId: { readonly $id: string };
}) {
  if (errors.length === 0) return null;
  return (
    <div id={`${fieldPathId.$id}__error`} className="field-error">
      {errors.map((error, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the messages of one field have nothing else to be told apart by
        <p key={index}>{typeof error === 'string' ? <VisibleText text={error} /> : error}</p>
      ))}
    </div>
  );
}

const templates = {
  FieldTemplate: FieldFrame,
  DescriptionFieldTemplate: Description,
  TitleFieldTemplate: Title,
  FieldErrorTemplate: FieldErrors,
  ButtonTemplates: {
    AddButton: iconButton('Add'),
    RemoveButton: iconButton('Remove'),
    MoveUpButton: iconButton('Move up'),
    MoveDownButton: iconButton('Move down'),
    CopyButton: iconButton('Copy'),
    ClearButton: iconButton('Clear'),
    SubmitButton: () => null,
  },
} as unknown as Partial<TemplatesType>; // the library asks for all of a group; these are the ones it uses here
