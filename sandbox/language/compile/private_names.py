"""Private names of the host classes that a guest can reach: reading one needs a look.

`Enum._convert_`, for one, hands out the namespace of any module. The list is of Python 3.11 to
3.14; a test finds the names again in the running Python, and fails if one is missing here.
"""

from sandbox.language.compile.words import words

HOST_PRIVATE = words(
    """
    _CHUNK_SIZE _MutableMapping__marker _SequenceMatcher__chain_b _Tokenizer__next
    _UserList__cast _abc_caches_clear _abc_impl _abc_registry_clear _add _add_alias_
    _add_member_ _add_value_alias_ _alive _all_bits_ _apply _asdict _attr_type _blksize
    _boundary_ _checkClosed _checkReadable _checkSeekable _checkWritable
    _check_for_existing_members_ _class_getitem_inner _cls_type _collect_lines _commit_removals
    _compile_pattern _convert_ _convert_flags _create_ _create_async_cb_wrapper
    _create_async_exit_wrapper _create_cb_wrapper _create_exit_wrapper _days _dealloc_warn
    _decoded_counterpart _default_prefix _denominator _determine_new_args _dict_to_list
    _dispatch _div _divmod _dump _dump_registry _encoded_counterpart _evaluate _fancy_helper
    _fancy_replace _field_defaults _field_type _fields _file_template _finalizing _find_cycle
    _find_data_repr_ _find_data_type_ _find_new_ _fix_sentence_endings _flag_mask_ _floordiv
    _format _format_dict_items _format_float_style _format_general _format_items _format_line
    _format_namespace_items _from_coprime_ints _from_iterable _func_ref _generate_next_value_
    _get_mixins_ _get_nodeinfo _get_value _getitem _guess_delimiter _guess_quote_and_delimiter
    _handle_long_word _hash _hashable_values_ _hostinfo _invalid _inverted_ _is_protocol
    _is_runtime_protocol _isatty_open_only _iter_member_ _iter_member_by_def_
    _iter_member_by_value_ _keep_positive _legend _line_wrapper _make _make_prefix
    _make_substitution _make_unbound_method _mapping _member_map_ _member_names_ _member_type_
    _meth_type _missing_ _mod _months _mu _mul _munge_whitespace _name _new_member_
    _notimplemented _numerator _numeric_repr_ _odict_front _odict_gone _operator_fallbacks
    _plain_replace _pprint_bytearray _pprint_bytes _pprint_chain_map _pprint_counter
    _pprint_dataclass _pprint_default_dict _pprint_deque _pprint_dict _pprint_list
    _pprint_mappingproxy _pprint_ordered_dict _pprint_set _pprint_simplenamespace _pprint_str
    _pprint_tuple _pprint_user_dict _pprint_user_list _pprint_user_string _push_async_cm_exit
    _push_cm_exit _push_exit_callback _qformat _randbelow _randbelow_with_getrandbits
    _randbelow_without_getrandbits _recreate_cm _removal_version _replace _repr _richcmp
    _safe_repr _scrub_removals _sigma _singles_mask_ _split _split_chunks _split_line _stream
    _styles _sub _tab_newline_replace _table_template _unhashable_values_
    _unhashable_values_map_ _use_args_ _userinfo _valid _validate _value2member_map_
    _value_repr_ _vformat _wrap_chunks
    """
)
