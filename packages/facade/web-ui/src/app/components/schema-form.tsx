// A form made from a JSON Schema by the form library, in the look of the console. The schema comes from a server:
// all of its texts are shown as text.

import type { JsonObject } from '@portico/contracts';
import Form from '@rjsf/core/lib/components/Form.js';
import {
  ADDITIONAL_PROPERTY_FLAG,
  type DescriptionFieldProps,
  type ErrorSchema,
  type FieldTemplateProps,
  type IconButtonProps,
  type MultiSchemaFieldTemplateProps,
  type RJSFSchema,
  type RJSFValidationError,
  type TemplatesType,
  type TitleFieldProps,
  toErrorSchema,
} from '@rjsf/utils';
import { type ReactNode, useMemo, useState } from 'react';
import { createSchemaValidator } from '../lib/schema-validator.js';
import { Button } from './button.js';
import { VisibleText } from './visible-text.js';

interface SchemaFormProps {
  readonly schema: JsonObject;
  readonly value: JsonObject;
  /** Prefix that keeps the field ids of this form different from those of other forms on the page. */
  readonly idPrefix: string;
  /** Messages of the service about single values, by their paths: `list[0].name`. */
  readonly refusals?: Readonly<Record<string, string>>;
  onValue(value: JsonObject): void;
  onSubmit(value: JsonObject): void;
  /** The buttons below. */
  readonly children: ReactNode;
}

export function SchemaForm({ schema, value, idPrefix, refusals, onValue, onSubmit, children }: SchemaFormProps) {
  const validator = useMemo(createSchemaValidator, []);
  const extraErrors = useMemo(() => toErrors(refusals ?? {}), [refusals]);
  const [wrong, setWrong] = useState<readonly RJSFValidationError[]>([]);
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
      extraErrors={extraErrors}
      onError={setWrong} // said below as well: some values have no field of their own
      experimental_defaultFormStateBehavior={{ emptyObjectFields: 'populateRequiredDefaults' }}
      onChange={({ formData }) => {
        setWrong([]);
        onValue((formData ?? {}) as JsonObject);
      }}
      onSubmit={({ formData }) => {
        setWrong([]);
        onSubmit((formData ?? {}) as JsonObject);
      }}
    >
      {wrong.length === 0 ? null : (
        <div className="field-error" role="alert">
          <p>It cannot be sent yet:</p>
          <ul>
            {wrong.map(({ property = '', message = '' }) => (
              <li key={`${property} ${message}`}>
                <VisibleText text={`${property.replace(/^\./, '') || 'the whole'}: ${message}`} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className="actions">{children}</div>
    </Form>
  );
}

/** As the library keeps them, by field. */
function toErrors(refusals: Readonly<Record<string, string>>): ErrorSchema {
  const errors = Object.entries(refusals).map(([path, message]) => {
    const property = `.${path.replace(/\[(\d+)\]/g, '.$1')}`;
    return { property, message, stack: `${property} ${message}` };
  });
  return toErrorSchema(errors) as ErrorSchema;
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
  schema,
  onKeyRenameBlur,
  onRemoveProperty,
}: FieldTemplateProps) {
  if (hidden) return <div hidden>{children}</div>;
  const hasNameOfItsOwn = ADDITIONAL_PROPERTY_FLAG in schema;
  return (
    <div className={rawErrors.length > 0 ? 'field is-wrong' : 'field'}>
      {hasNameOfItsOwn ? (
        <div className="named-field">
          <label htmlFor={`${id}-key`}>Name</label>
          <input key={label} id={`${id}-key`} type="text" defaultValue={label} onBlur={onKeyRenameBlur} />
          <Button variant="quiet" onClick={onRemoveProperty}>
            Remove
          </Button>
        </div>
      ) : null}
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
        // biome-ignore lint/suspicious/noArrayIndexKey: the messages of one field have no other key
        <p key={index}>{typeof error === 'string' ? <VisibleText text={error} /> : error}</p>
      ))}
    </div>
  );
}

/** A value of one of several forms: which one, and then its fields. */
function Choice({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps) {
  return (
    <div className="stack">
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the selector of the library is the control */}
      <label className="choice">
        <span>One of</span>
        {selector}
      </label>
      {optionSchemaField}
    </div>
  );
}

const templates = {
  MultiSchemaFieldTemplate: Choice,
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
